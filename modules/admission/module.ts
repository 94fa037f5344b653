import { admissionQuery, admissionTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { parseAdmissionGenesis } from './genesis.ts'
import { isApprovalRequired, readOperators, setApprovalRequired, setApproved } from './keeper.ts'
import { ADMISSION_MESSAGES } from './messages.ts'
import { ADMISSION_QUERIES } from './queries.ts'

export const admissionModule: ModuleDefinition<unknown> = {
  name: 'admission',
  services: [admissionQuery.Query, admissionTx.Msg],
  parseGenesis: (genesis) => parseAdmissionGenesis(genesis),
  create: () => ({
    initGenesis: ({ state }, genesis) => {
      const { approvalRequired, operators } = parseAdmissionGenesis(genesis)
      if (approvalRequired) setApprovalRequired(state, true)
      for (const operator of operators) setApproved(state, operator, true)
    },
    exportGenesis: ({ state }) => ({
      params: { approval_required: isApprovalRequired(state) },
      operators: [...readOperators(state)].map(formatOperator),
    }),
    messages: ADMISSION_MESSAGES,
    queries: ADMISSION_QUERIES,
    invariants: [],
  }),
}
