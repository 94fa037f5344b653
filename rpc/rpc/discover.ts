import { defineMethod } from '../method.ts'

/** OpenRPC's service discovery; geth has none. */
export const discover = defineMethod({
  name: 'rpc_discover',
  parameters: [],
  answer: ({ description }) => description(),
})
