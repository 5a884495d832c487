// oxlint-disable-next-line unicorn/require-module-specifiers -- the entry stands before its contents
export {};
