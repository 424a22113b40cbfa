// Asks one question: stream, deadline, cancel, resume, rich errors. Built by `make clients`.
//
//	build/clients/go/ask 127.0.0.1:50054 shop "What is a cart?"
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	orchestrator "cgrag/orchestrator/v1"
)

const (
	deadline = 120 * time.Second
	mostCuts = 5
)

type stream interface {
	Recv() (*orchestrator.AnswerEvent, error)
}

// seen says how far a stream came, so that the next one goes on there.
type seen struct {
	answerID string
	sequence int64
}

// read returns the answer, or the error that ended the stream; io.EOF where it ended without an answer.
func (s *seen) read(events stream) (*orchestrator.Answer, error) {
	for {
		event, err := events.Recv()
		if err != nil {
			return nil, err
		}
		if event.AnswerId != "" {
			s.answerID = event.AnswerId
		}
		if event.Sequence > s.sequence {
			s.sequence = event.Sequence
		}
		fmt.Fprint(os.Stderr, event.GetTextDelta().GetText())
		if completed := event.GetCompleted(); completed != nil {
			return completed.Answer, nil
		}
	}
}

// once opens a stream, reads it, and cancels it: also a reader that leaves early stops the service at once.
func (s *seen) once(ctx context.Context, client orchestrator.OrchestratorServiceClient, question *orchestrator.AskRequest) (*orchestrator.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var events stream
	var err error
	if s.answerID == "" {
		events, err = client.Ask(ctx, question)
	} else {
		events, err = client.WatchAnswer(ctx, &orchestrator.WatchAnswerRequest{AnswerId: s.answerID, AfterSequence: s.sequence})
	}
	if err != nil {
		return nil, err
	}
	return s.read(events)
}

func ask(ctx context.Context, client orchestrator.OrchestratorServiceClient, question *orchestrator.AskRequest) (*orchestrator.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	var s seen
	for cut := 0; cut < mostCuts; cut++ {
		answer, err := s.once(ctx, client, question)
		if err == nil {
			return answer, nil
		}
		if s.answerID == "" || !(err == io.EOF || status.Code(err) == codes.Unavailable) {
			return nil, err
		}
		time.Sleep(200 * time.Millisecond) // cut: nothing is answered or paid for twice
	}
	return nil, errors.New("cut too often")
}

// reasonOf returns the reason that the contract gives an error, such as ERROR_REASON_REPOSITORY_NOT_FOUND.
func reasonOf(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer connection.Close()
	client := orchestrator.NewOrchestratorServiceClient(connection)
	answer, err := ask(ctx, client, &orchestrator.AskRequest{Repository: os.Args[2], Question: os.Args[3]})
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", reasonOf(err), status.Convert(err).Message())
		os.Exit(1)
	}
	fmt.Println(answer.Text)
	for _, each := range answer.Citations {
		fmt.Printf("[%d] %s:%d\n", each.Number, each.Span.Path, each.Span.StartLine)
	}
}
