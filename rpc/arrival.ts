/**
 * Runs `work` after all else that has arrived by now: whoever learned of a block from CometBFT asks for no older one here,
 * though the announcement of it, which came before the request, is read behind it. In the order of the calls. A promise
 * that `work` returns must not reject.
 */
export const afterArrivals = <Parameters extends readonly unknown[]>(
  work: (...parameters: Parameters) => void | Promise<void>,
  ...parameters: Parameters
): void => {
  // This turn of the event loop reads the sockets that had something when it began, and of them also what came since;
  // the next one reads all the others.
  setImmediate(() => setImmediate(() => void work(...parameters)))
}
