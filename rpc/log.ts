/** The servers of this folder write here what an operator should read. */
export interface GatewayLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

const nothing = (): void => {}

export const SILENT_LOG: GatewayLog = { info: nothing, warn: nothing, error: nothing }
