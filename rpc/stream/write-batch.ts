/** Joins the frames that one turn of the event loop writes into one system call. */
import type { Socket } from 'node:net'

export interface BatchedWriter {
  write(frame: Uint8Array): void
  /** Hands all that was written to the system now, as far as it takes it. */
  flush(): void
}

export const createBatchedWriter = (socket: Socket): BatchedWriter => {
  let corked = false
  const flush = (): void => {
    if (!corked) return
    corked = false
    socket.uncork()
  }
  return {
    write(frame) {
      if (socket.destroyed) return
      if (!corked) {
        corked = true
        socket.cork()
        setImmediate(flush)
      }
      socket.write(frame)
    },
    flush,
  }
}
