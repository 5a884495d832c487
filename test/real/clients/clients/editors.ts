// Clients that npm does not have. Each is tested if an environment variable says where it is installed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignClient } from "../client.ts";
import { programFile, runProgram } from "../program.ts";

interface Installed extends Omit<ForeignClient, "version" | "unavailable" | "run" | "notOffered"> {
  /** The environment variable that says where the client is installed. */
  readonly variable: string;
  readonly versionIn: (place: string) => string;
  /** The command that runs the program; the task is added to its arguments. */
  readonly command: (place: string) => readonly [string, ...string[]];
}

function installed({ variable, versionIn, command, ...client }: Installed): ForeignClient {
  const place = process.env[variable];
  return {
    ...client,
    notOffered: {},
    version: place === undefined ? "" : versionIn(place),
    unavailable: () => (place === undefined ? `${variable} is not set` : undefined),
    run: (agent, steps) => {
      if (place === undefined) throw new Error(`${variable} is not set`);
      return runProgram(command(place), agent, { steps, modules: place });
    },
  };
}

export const pythonSdk = installed({
  name: "Python SDK",
  source: "`agent-client-protocol` on PyPI",
  variable: "DRAGOMAN_ACP_PYTHON",
  remarks: [],
  versionIn: (python) => {
    const code = "from importlib.metadata import version; print(version('agent-client-protocol'))";
    return spawnSync(python, ["-c", code], { encoding: "utf8" }).stdout.trim();
  },
  command: (python) => [python, programFile("python-sdk.py")],
});

export const acpEl = installed({
  name: "acp.el",
  source: "`acp.el` in Emacs",
  variable: "DRAGOMAN_ACP_EL",
  remarks: [],
  versionIn: (folder) =>
    /^;; Version: (\S+)/m.exec(readFileSync(join(folder, "acp.el"), "utf8"))?.[1] ?? "",
  command: () => ["emacs", "-Q", "--batch", "--load", programFile("acp-el.el")],
});

export const codeCompanion = installed({
  name: "CodeCompanion",
  source: "`codecompanion.nvim` in Neovim",
  variable: "DRAGOMAN_CODECOMPANION",
  remarks: [
    "Authenticates before it opens a session, with the first method that the agent offers.",
    "Does not wait for the answer after `session/cancel`: the next prompt may arrive while the turn is still ending.",
  ],
  versionIn: (folder) =>
    readFileSync(join(folder, "codecompanion.nvim/version.txt"), "utf8").trim(),
  command: () => ["nvim", "--headless", "-u", "NONE", "-l", programFile("codecompanion.lua")],
});
