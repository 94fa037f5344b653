/** What an audit finds: the first height and rule that does not hold. */
import { CodedError } from '../../../core/errors.ts'
import { CLI_CODES } from '../../errors.ts'

/** Rules of docs/clob-spec.md, Audit. */
export type Rule = 1 | 2 | 3 | 4 | 5 | 6

export interface Finding {
  readonly height: number
  readonly rule: Rule
  readonly what: string
  /** The node whose answers do not fit each other, where it is the node that lies: it shows nothing about the chain. */
  readonly liar?: string
}

export class AuditFault extends CodedError {
  readonly finding: Finding

  constructor(finding: Finding) {
    const { height, rule, what, liar } = finding
    const who = liar === undefined ? 'the chain breaks it' : `the node ${liar} lies`
    super('cli', CLI_CODES.audit, `height ${height}: rule ${rule}: ${who}: ${what}`)
    this.finding = finding
  }
}
