/** What abci and rpc may call of the application, in the application's own words. */

/** These are for those that turn codes into the numbers of their wire formats. */
export { SDK_CODES } from '../modules/sdk-errors.ts'
export { QUERY_CODES } from './errors.ts'
export type { ConsensusParameters } from '../modules/consensus/index.ts'
export * from './ports/consensus.ts'
export * from './ports/calls.ts'
export * from './ports/clob.ts'
export * from './ports/feed.ts'
export * from './ports/questions.ts'
export * from './ports/query.ts'
