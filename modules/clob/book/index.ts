/** The order book of the committed head, in memory. */
export { type BookDelta, Books } from './books.ts'
export { type Level } from './book-side.ts'
export { rootOfOrders } from './bucket-root.ts'
export {
  changedLevels,
  type Depth,
  depthOf,
  depthPage,
  type LevelChanges,
  type LevelPlace,
  type LevelTotal,
  totalOf,
} from './levels.ts'
