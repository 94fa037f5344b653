/** Where the servers of this folder write what an operator should read. One line a call. */
export interface AbciLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
