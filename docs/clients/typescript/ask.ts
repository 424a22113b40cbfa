// Asks one question: stream, deadline, cancel, resume, rich errors. The contracts are loaded as they stand in protos/.
//
// npm ci && npm run build && node ask.js ../../../protos 127.0.0.1:50054 shop "What is a cart?"

import * as grpc from "@grpc/grpc-js";
import * as loader from "@grpc/proto-loader";
import protobuf from "protobufjs";

const DEADLINE_MS = 120_000;
const MOST_CUTS = 5;

interface Citation { number: number; span: { path: string; startLine: number } }
interface Answer { text: string; citations: Citation[] }
interface AnswerEvent { sequence: string; answerId: string; event: string; textDelta?: { text: string }; completed?: { answer: Answer } }

function open(protos: string, target: string): any {
  const definition = loader.loadSync("cgrag/orchestrator/v1/orchestrator.proto", {
    includeDirs: [protos], longs: String, enums: String, defaults: true, oneofs: true,
  });
  const loaded = grpc.loadPackageDefinition(definition) as any;
  return new loaded.cgrag.orchestrator.v1.OrchestratorService(target, grpc.credentials.createInsecure());
}

// Reads one stream to its end, its cut, or the answer; `seen` says how far it came.
function read(call: grpc.ClientReadableStream<AnswerEvent>, seen: { answerId: string; sequence: number }): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    call.on("data", (event: AnswerEvent) => {
      seen.answerId = event.answerId || seen.answerId;
      seen.sequence = Math.max(seen.sequence, Number(event.sequence));
      if (event.textDelta) process.stderr.write(event.textDelta.text);
      if (event.completed) resolve(event.completed.answer);
    });
    call.on("error", reject);
    call.on("end", () => resolve(undefined));
  });
}

export async function ask(client: any, repository: string, question: string): Promise<Answer> {
  const deadline = new Date(Date.now() + DEADLINE_MS);
  const seen = { answerId: "", sequence: 0 };
  for (let cut = 0; cut < MOST_CUTS; cut++) {
    const call = seen.answerId
      ? client.WatchAnswer({ answerId: seen.answerId, afterSequence: seen.sequence }, { deadline })
      : client.Ask({ repository, question }, new grpc.Metadata(), { deadline });
    try {
      const answer = await read(call, seen);
      if (answer) return answer;
    } catch (error: any) {
      if (error.code !== grpc.status.UNAVAILABLE || !seen.answerId) throw error;
      await new Promise((resume) => setTimeout(resume, 200)); // cut: nothing is answered or paid for twice
    } finally {
      call.on("error", () => undefined); // the cancellation itself is one
      call.cancel(); // also when the reader leaves early: the service stops at once
    }
  }
  throw new Error("cut too often");
}

// google.rpc.Status with its ErrorInfo, as far as it is read here.
const DETAILS = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`).root;

export function reasonOf(error: grpc.ServiceError): string {
  const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!packed) return "";
  const status = DETAILS.lookupType("Status").decode(packed as Buffer) as any;
  const info = status.details.find((each: any) => each.typeUrl.endsWith("google.rpc.ErrorInfo"));
  return info ? (DETAILS.lookupType("ErrorInfo").decode(info.value) as any).reason : "";
}

async function main([protos, target, repository, question]: string[]): Promise<void> {
  const client = open(protos, target);
  try {
    const answer = await ask(client, repository, question);
    console.log(answer.text);
    for (const each of answer.citations) console.log(`[${each.number}] ${each.span.path}:${each.span.startLine}`);
  } catch (error: any) {
    console.error(`${reasonOf(error)}: ${error.details ?? error.message}`);
    process.exitCode = 1;
  } finally {
    client.close();
  }
}

void main(process.argv.slice(2));
