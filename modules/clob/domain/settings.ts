/** Parameters of the order book, which governance sets. In the order in which state holds them. */
export interface ClobParameters {
  /** Bytes that all extensions of a height may have together. */
  readonly extensionBudgetBytes: number
  readonly minAgeMs: number
  readonly bucketMs: number
  /** Of the transactions of a block. */
  readonly blockWeight: number
  /** Of an account in a block. */
  readonly maxActions: number
  /** Of an account. */
  readonly maxOpenOrders: number
  /** In a block. */
  readonly maxTriggers: number
  readonly triggerWeight: number
  readonly contractWeight: number
  readonly maxRemovals: number
}
