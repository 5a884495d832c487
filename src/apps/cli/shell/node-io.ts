import { hasCode } from "../../../base/index.ts";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { constants as osConstants, homedir } from "node:os";
import { ReadStream, WriteStream } from "node:tty";
import type { InputKind, Io, Output, SignalName, TerminalStdio, UserTerminal } from "./io.ts";

/** The paths of the two commands and of the page of `inspect`. */
export interface ProgramFiles {
  readonly dragoman: string;
  readonly droidAcp: string;
  readonly inspectPage: string;
}

export function nodeIo(version: string, files: ProgramFiles): Io {
  const { stdin } = process;
  return {
    stdin,
    stdinKind: inputKind(),
    ...(stdin.isTTY ? { setRaw: (raw: boolean) => void stdin.setRawMode(raw) } : {}),
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    home: process.env["HOME"] ?? homedir(),
    platform: process.platform,
    version,
    self: {
      node: process.execPath,
      dragoman: [files.dragoman],
      droidAcp: [files.droidAcp],
      inspectPage: files.inspectPage,
    },
    openTerminal,
    openTerminalStdio,
    onSignal: (name, handler) => {
      process.on(name, handler);
      return () => void process.off(name, handler);
    },
    endBySignal,
    awaitForeground,
    suspend,
    onContinue: (handler) => {
      process.on("SIGCONT", handler);
      return () => void process.off("SIGCONT", handler);
    },
    now: Date.now,
  };
}

/**
 * `process.exit` would wait for a thread that is stuck in a system call, such as a read of a file
 * system that does not answer.
 */
function endBySignal(name: SignalName): void {
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // Reached only by the first process of a container, which its own signals do not end.
  process.exit(128 + osConstants.signals[name]);
}

function output(stream: NodeJS.WriteStream): Output {
  return { stream, isTty: stream.isTTY, ...sizeOf(stream) };
}

function sizeOf(stream: NodeJS.WriteStream): Pick<Output, "columns" | "rows" | "onResize"> {
  return {
    columns: () => stream.columns,
    rows: () => stream.rows,
    onResize: (handler) => {
      stream.on("resize", handler);
      return () => void stream.off("resize", handler);
    },
  };
}

/** Stops the whole job, which may have more processes, such as `npx`. */
function suspend(): void {
  if (process.platform !== "win32") process.kill(0, "SIGTSTP");
}

/** In the background, the kernel stops a process that reads from its terminal, even without waiting. */
function awaitForeground(): Buffer {
  const nothing = Buffer.alloc(0);
  if (process.platform === "win32") return nothing;
  let fd: number;
  try {
    fd = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return nothing;
  }
  const byte = Buffer.alloc(1);
  try {
    return byte.subarray(0, readSync(fd, byte));
  } catch {
    // Nothing was typed, or the job has no terminal anymore.
    return nothing;
  } finally {
    closeSync(fd);
  }
}

function inputKind(): InputKind {
  if (process.stdin.isTTY) return "tty";
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return "pipe";
    return stat.isFile() ? "file" : "other";
  } catch {
    return "other";
  }
}

/** Opens `/dev/tty`, because stdin and stdout may be pipes. */
function openTerminal(): UserTerminal | undefined {
  if (process.platform === "win32") return windowsTerminal();
  let fd: number;
  try {
    fd = openSync("/dev/tty", "r+");
  } catch {
    return undefined;
  }
  // Two streams on one descriptor would both close it.
  const writeFd = openSync("/dev/tty", "w");
  try {
    const input = new ReadStream(fd);
    const out = new WriteStream(writeFd);
    // Node updates the size of its own streams only.
    const sized = [process.stderr, process.stdout].find(({ isTTY }) => isTTY) ?? out;
    return {
      input,
      output: out,
      ...sizeOf(sized),
      setRaw: (raw) => void input.setRawMode(raw),
      discardTyped: () => discardTyped(input),
      close: () => {
        input.destroy();
        out.destroy();
      },
    };
  } catch {
    closeSync(fd);
    closeSync(writeFd);
    return undefined;
  }
}

/**
 * An unfinished line can be read only in raw mode. The non-blocking descriptor is a separate one, so
 * that the terminal's other users stay unaffected.
 */
function discardTyped(input: ReadStream): void {
  awaitForeground();
  const fd = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
  const typed = Buffer.alloc(4096);
  input.setRawMode(true);
  try {
    while (readSync(fd, typed) > 0);
  } catch (error) {
    if (!hasCode(error, "EAGAIN")) throw error;
  } finally {
    input.setRawMode(false);
    closeSync(fd);
  }
}

function openTerminalStdio(): TerminalStdio | undefined {
  if (process.platform === "win32") {
    return windowsTerminal() && { stdio: [0, 2, 2], close: () => {} };
  }
  try {
    const fd = openSync("/dev/tty", "r+");
    return { stdio: [fd, fd, fd], close: () => closeSync(fd) };
  } catch {
    return undefined;
  }
}

function windowsTerminal(): UserTerminal | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return {
    input: stdin,
    output: stderr,
    ...sizeOf(stderr),
    setRaw: (raw) => void stdin.setRawMode(raw),
    discardTyped: () => {
      while (stdin.read() !== null);
    },
    close: () => void stdin.pause(),
  };
}

/** Whether stdout and stderr of this process go to the same file, pipe or terminal, as after `2>&1`. */
export function outputsAreOne(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
}
