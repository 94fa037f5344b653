/** Parameters of the order book, which governance sets. In the order in which state holds them. */
export interface ClobParameters {
  /** Bytes that all extensions of a height may have together. */
  readonly extensionBudgetBytes: number
  readonly minAgeMs: number
  readonly bucketMs: number
  /** The most weight of the transactions of a block. */
  readonly blockWeight: number
  /** The most actions of an account in a block. */
  readonly maxActions: number
  /** The most open orders of an account. */
  readonly maxOpenOrders: number
  /** The most triggers in a block. */
  readonly maxTriggers: number
  readonly triggerWeight: number
  readonly contractWeight: number
  readonly maxRemovals: number
}
