/** The numbers of JSON-RPC errors: here they stand once. Where geth has a number for something, it is geth's. */
export const JSON_RPC = {
  /** JSON-RPC 2.0, section 5.1. */
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParameters: -32602,
  internal: -32603,
  /** Every refusal that has no number of its own. */
  refused: -32000,
  timeout: -32002,
  responseTooLarge: -32003,
  limitExceeded: -32005,
  /** A call within eth_simulateV1 that failed otherwise than by a revert. */
  callFailed: -32015,
  /** eth_simulateV1: the code of codespace `simulation` is subtracted. */
  simulation: -38000,
  /** Execution reverted; `data` is what the contract returned. */
  reverted: 3,
  /** EIP-7966: sent, and not in a block in time. */
  notIncluded: 4,
  /** EIP-4444: the block is no longer kept. */
  prunedHistory: 4444,
} as const
