/** The handlers of all modules, by the names that clients know. */
import type { MessageHandler, Module, QueryHandler } from '../../modules/module.ts'

/** Handlers by type URL. */
export type MessageHandlers = ReadonlyMap<string, MessageHandler>
/** Handlers by the path of the method. */
export type QueryHandlers = ReadonlyMap<string, QueryHandler>

export const messageHandlers = (modules: readonly Pick<Module, 'messages'>[]): MessageHandlers =>
  new Map(modules.flatMap(({ messages }) => messages.map((handler) => [handler.typeUrl, handler] as const)))

export const queryHandlers = (modules: readonly Pick<Module, 'queries'>[]): QueryHandlers =>
  new Map(modules.flatMap(({ queries }) => queries.map((handler) => [handler.path, handler] as const)))
