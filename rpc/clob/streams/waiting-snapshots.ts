/** Snapshots that wait for their readers: what is behind the first message is held until the client has taken that. */
import type { OwnerBounds } from '../../subscriptions/owners.ts'

/** A book of 500,000 orders has 75 MB. */
export const WAITING_SNAPSHOTS: OwnerBounds = { bytes: 256 * 1024 * 1024, bytesOfClient: 96 * 1024 * 1024 }
export const TOO_MANY_SNAPSHOTS = 'too many snapshots wait for their readers'
