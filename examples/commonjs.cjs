// Asks an agent from CommonJS. Without `await using`, `finally` closes the client.
//
//   node commonjs.cjs [prompt [command [arguments ...]]]
const { AcpClient } = require("dragoman");

const [prompt = "/title A fine day", ...named] = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

async function main() {
  const client = await AcpClient.start({ command, args });
  try {
    const session = await client.newSession({ cwd: process.cwd() });
    console.log(await session.prompt(prompt).text());
  } finally {
    await client.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
