/** The servers of this folder write here what an operator should read. One call is one line. */
export interface AbciLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
