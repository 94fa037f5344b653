/** What goes back to a client: text, or the pieces of one that has a long result in it. */
import type { Text } from '../core/text.ts'

/** A reply whose result is bytes: they go to the socket as they came, and are not copied to put something around them. */
export class LongReply {
  readonly pieces: readonly Uint8Array[]
  /** In bytes. */
  readonly length: number

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.pieces, this.length)
  }
}

export type Reply = string | LongReply

export const replyWith = (id: string, result: Text): Reply => {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`
  return typeof result === 'string'
    ? `${before}${result}}`
    : new LongReply([Buffer.from(before), result, Buffer.from('}')])
}

/** geth ends a line behind a reply. */
export const endLine = (reply: Reply): Reply =>
  typeof reply === 'string' ? `${reply}\n` : new LongReply([...reply.pieces, Buffer.from('\n')])

/** For a batch, which is one text. */
export const replyText = (reply: Reply): string =>
  typeof reply === 'string' ? reply : reply.toBuffer().toString('utf8')
