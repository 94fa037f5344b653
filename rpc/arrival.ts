/**
 * Runs `work` after all else that has arrived by now: whoever learned of a block from CometBFT asks for no older one here,
 * though the announcement of it, which came before the request, waits behind it in the same turn of the event loop.
 * In the order of the calls.
 */
export const afterArrivals = <Parameters extends readonly unknown[]>(
  work: (...parameters: Parameters) => void,
  ...parameters: Parameters
): void => {
  setImmediate(work, ...parameters)
}
