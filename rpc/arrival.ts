/*
 * Whoever learned of a block from CometBFT asks for no older one here, though the announcement of it, which came before
 * the request, is read behind it. In the order of the calls; a promise that `work` returns must not reject.
 */
type Work<Parameters extends readonly unknown[]> = (...parameters: Parameters) => void | Promise<void>

/** Runs `work` after all else that this turn of the event loop reads. */
export const afterArrivals = <Parameters extends readonly unknown[]>(
  work: Work<Parameters>,
  ...parameters: Parameters
): void => {
  setImmediate(() => void work(...parameters))
}

/**
 * Waits as {@link afterArrivals} does, for connections that carry more than requests: a turn reads the sockets that had something
 * when it began, and of them also a request that came since; the next turn reads all the others.
 */
export const afterLateArrivals = <Parameters extends readonly unknown[]>(
  work: Work<Parameters>,
  ...parameters: Parameters
): void => {
  setImmediate(() => setImmediate(() => void work(...parameters)))
}
