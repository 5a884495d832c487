// JSON-RPC messages for tests.

export type Frame = Record<string, unknown>;

export const request = (id: unknown, method: string, params?: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

export const notification = (method: string, params?: unknown): Frame => ({
  jsonrpc: "2.0",
  method,
  params,
});

export const result = (id: unknown, value: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  result: value,
});

export const failure = (id: unknown, code: number, message: string, data?: unknown): Frame => ({
  jsonrpc: "2.0",
  id,
  error: data === undefined ? { code, message } : { code, message, data },
});
