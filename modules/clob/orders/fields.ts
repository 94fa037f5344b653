/** Tags of nat/clob/v1/clob_tx.proto: the number of a field with its wire type, in one byte. */

export const TX = {
  version: 0x08,
  owner: 0x12,
  subaccount: 0x18,
  nonceMs: 0x20,
  goodTilBlock: 0x28,
  actions: 0x32,
  sigScheme: 0x38,
  signature: 0x42,
  agent: 0x4a,
} as const

export const ACTION = { place: 0x0a, cancel: 0x12, cancelAll: 0x1a, replace: 0x22, scheduleCancel: 0x2a } as const

export const PLACE = {
  market: 0x08,
  side: 0x10,
  priceTicks: 0x18,
  qtyLots: 0x20,
  tif: 0x28,
  stp: 0x30,
  clientId: 0x3a,
  expireS: 0x40,
  triggerTicks: 0x48,
  triggerKind: 0x50,
  maxFills: 0x58,
  postOnlyMode: 0x60,
  builder: 0x6a,
  builderFeePpm: 0x70,
  group: 0x7a,
} as const

export const CANCEL = { market: 0x08, clientId: 0x12, orderSeq: 0x18 } as const
export const CANCEL_ALL = { market: 0x08, side: 0x10 } as const
export const REPLACE = { target: 0x0a, place: 0x12, keepPriority: 0x18 } as const
export const SCHEDULE_CANCEL = { atMs: 0x08 } as const

export const RESULT = { results: 0x0a, records: 0x12 } as const
export const ACTION_RESULT = { code: 0x08, orderSeq: 0x10, filledLots: 0x18, quote: 0x22 } as const

/** Bounds of sides, bytes and other values: what both directions and the signature agree on. */
export const VERSION = 1
export const MAX_UINT32 = 0xffff_ffff
export const MAX_CLIENT_ID_BYTES = 16
export const MAX_FILLS = 200
/** What a `max_fills` of 0 stands for. */
export const DEFAULT_MAX_FILLS = 20
export const SIGNATURE_BYTES = 65
