import cgrag.orchestrator.v1.Orchestrator.Answer;
import cgrag.orchestrator.v1.Orchestrator.AnswerEvent;
import cgrag.orchestrator.v1.Orchestrator.AskRequest;
import cgrag.orchestrator.v1.Orchestrator.WatchAnswerRequest;
import cgrag.orchestrator.v1.OrchestratorServiceGrpc;
import cgrag.orchestrator.v1.OrchestratorServiceGrpc.OrchestratorServiceBlockingStub;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.lite.ProtoLiteUtils;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Asks one question: stream, deadline, cancel, resume, rich errors. Built by `make clients`.
 *
 * <p>build/clients/java/ask 127.0.0.1:50054 shop "What is a cart?"
 */
public final class Ask {
  private static final int MOST_CUTS = 5;
  private static final Metadata.Key<Status> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", ProtoLiteUtils.metadataMarshaller(Status.getDefaultInstance()));

  private final OrchestratorServiceBlockingStub stub;
  private String answerId = "";
  private long sequence = 0;

  private Ask(ManagedChannel channel) {
    stub = OrchestratorServiceGrpc.newBlockingStub(channel).withDeadline(Deadline.after(120, TimeUnit.SECONDS));
  }

  private Answer ask(AskRequest question) throws InterruptedException {
    for (int cut = 0; cut < MOST_CUTS; cut++) {
      Context.CancellableContext call = Context.current().withCancellation();
      Context outer = call.attach();
      try {
        Answer answer = read(open(question));
        if (answer != null) {
          return answer;
        }
      } catch (StatusRuntimeException error) {
        if (error.getStatus().getCode() != io.grpc.Status.Code.UNAVAILABLE || answerId.isEmpty()) {
          throw error;
        }
      } finally {
        call.detach(outer);
        call.cancel(null); // also when the reader leaves early: the service stops at once
      }
      Thread.sleep(200); // cut: nothing is answered or paid for twice
    }
    throw new IllegalStateException("cut too often");
  }

  private Iterator<AnswerEvent> open(AskRequest question) {
    return answerId.isEmpty()
        ? stub.ask(question)
        : stub.watchAnswer(
            WatchAnswerRequest.newBuilder().setAnswerId(answerId).setAfterSequence(sequence).build());
  }

  /** Returns the answer; null where the stream ended without one. */
  private Answer read(Iterator<AnswerEvent> events) {
    while (events.hasNext()) {
      AnswerEvent event = events.next();
      answerId = event.getAnswerId().isEmpty() ? answerId : event.getAnswerId();
      sequence = Math.max(sequence, event.getSequence());
      System.err.print(event.getTextDelta().getText());
      if (event.hasCompleted()) {
        return event.getCompleted().getAnswer();
      }
    }
    return null;
  }

  /** Returns the reason that the contract gives an error, such as ERROR_REASON_REPOSITORY_NOT_FOUND; "" for none. */
  private static String reasonOf(StatusRuntimeException error) throws InvalidProtocolBufferException {
    Status status = error.getTrailers() == null ? null : error.getTrailers().get(DETAILS);
    for (Any detail : status == null ? java.util.List.<Any>of() : status.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        return detail.unpack(ErrorInfo.class).getReason();
      }
    }
    return "";
  }

  public static void main(String[] arguments) throws Exception {
    ManagedChannel channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    try {
      AskRequest question =
          AskRequest.newBuilder().setRepository(arguments[1]).setQuestion(arguments[2]).build();
      Answer answer = new Ask(channel).ask(question);
      System.out.println(answer.getText());
      answer.getCitationsList().forEach(
          each -> System.out.printf(
              "[%d] %s:%d%n", each.getNumber(), each.getSpan().getPath(), each.getSpan().getStartLine()));
    } catch (StatusRuntimeException error) {
      System.err.println(reasonOf(error) + ": " + error.getStatus().getDescription());
      System.exit(1);
    } finally {
      channel.shutdownNow();
    }
  }
}
