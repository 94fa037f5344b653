import { defineMethod } from '../method.ts'

export const modules = defineMethod({
  name: 'rpc_modules',
  parameters: [],
  answer: ({ modules }) => modules,
})
