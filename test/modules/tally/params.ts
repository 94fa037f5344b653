/** The one parameter: the most that a message may add. */
export const DEFAULT_MAX_STEP = 100n
const MOST = 1_000_000n

export const maxStepFault = (maxStep: bigint): string | undefined =>
  maxStep >= 1n && maxStep <= MOST ? undefined : `max_step must be between 1 and ${MOST}, not ${maxStep}`
