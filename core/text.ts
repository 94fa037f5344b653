/**
 * Text on its way to a client: as a string, or where it is long as its bytes in UTF-8, which pass threads, processes
 * and sockets as they are. Nobody changes these bytes.
 */
export type Text = string | Uint8Array

/** Characters above which the bytes are made where the text is: to copy a short one costs less than to hand it over. */
export const LONG_TEXT = 64 * 1024

export const textToString = (text: Text): string =>
  typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8')

/** The bytes have memory of their own, so that they can be given to another thread. */
export const stringToText = (text: string): Text => (text.length > LONG_TEXT ? Buffer.from(text, 'utf8') : text)
