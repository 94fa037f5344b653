import { defineMethod, required } from '../method.ts'
import { checkCriteriaSize, decodeCriteria } from '../parameters/criteria.ts'

export const getLogs = defineMethod({
  name: 'eth_getLogs',
  cost: 50,
  parameters: [required(decodeCriteria)],
  answer: ({ askText }, criteria) => askText('logs', checkCriteriaSize(criteria)),
})
