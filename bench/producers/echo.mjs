// Answers each request with a small result, in a bare loop: the minimum for a server.
import { Buffer } from "node:buffer";

if (process.argv[2] === "content-length") {
  let buffered = Buffer.alloc(0);
  process.stdin.on("data", (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    let answers = "";
    for (;;) {
      const headEnd = buffered.indexOf("\r\n\r\n");
      if (headEnd === -1) break;
      const length = Number(
        /Content-Length: (\d+)/.exec(buffered.toString("latin1", 0, headEnd))[1],
      );
      const end = headEnd + 4 + length;
      if (buffered.length < end) break;
      const { id } = JSON.parse(buffered.toString("utf8", headEnd + 4, end));
      buffered = buffered.subarray(end);
      const json = JSON.stringify({ jsonrpc: "2.0", id, result: {} });
      answers += `Content-Length: ${json.length}\r\n\r\n${json}`;
    }
    if (answers !== "") process.stdout.write(answers);
  });
} else {
  let open = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (open + chunk).split("\n");
    open = lines.pop();
    let answers = "";
    for (const line of lines) {
      answers += `${JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: {} })}\n`;
    }
    if (answers !== "") process.stdout.write(answers);
  });
}
