/** Every change of the books since it was last cleared, so that it can be undone, and made again at commit. */
import type { AccountBook, LiveFloor } from './account-book.ts'
import type { RestingOrder } from './resting-order.ts'

export type BookChange =
  | { readonly kind: 'open' | 'close'; readonly account: AccountBook }
  | { readonly kind: 'insert' | 'remove'; readonly order: RestingOrder }
  /** It leaves its level, or the triggers: nothing meets it any more. It stays open until it is removed. */
  | { readonly kind: 'die'; readonly order: RestingOrder }
  | { readonly kind: 'left'; readonly order: RestingOrder; readonly before: number; readonly after: number }
  /** An order in the place of another one, with its order_seq, price, label and side. */
  | { readonly kind: 'swap'; readonly order: RestingOrder; readonly by: RestingOrder }
  | { readonly kind: 'switch'; readonly account: AccountBook; readonly before: number; readonly after: number }
  | {
      readonly kind: 'floors'
      readonly account: AccountBook
      readonly before: readonly LiveFloor[]
      readonly after: readonly LiveFloor[]
    }
