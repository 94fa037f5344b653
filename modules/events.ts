/** Native events in the form of the Cosmos SDK. */
import type { Event } from './module.ts'

/** Every attribute is indexed, as the SDK's default has it: clients search by any of them. */
export const makeEvent = (type: string, attributes: Readonly<Record<string, string>>): Event => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })),
})
