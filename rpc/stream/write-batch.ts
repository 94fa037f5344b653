/** Joins the frames that one turn of the event loop writes into one system call. */
import type { Socket } from 'node:net'

export const createBatchedWriter = (socket: Socket): ((frame: Buffer) => void) => {
  let corked = false
  const uncork = (): void => {
    corked = false
    socket.uncork()
  }
  return (frame) => {
    if (socket.destroyed) return
    if (!corked) {
      corked = true
      socket.cork()
      setImmediate(uncork)
    }
    socket.write(frame)
  }
}
