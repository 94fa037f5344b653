import { defineMethod } from '../method.ts'

export const version = defineMethod({
  name: 'net_version',
  parameters: [],
  answer: ({ head }) => head.current().networkVersion,
})
