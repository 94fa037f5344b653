/** What a validator says of itself. */
import { utf8ToBytes } from '../../core/bytes.ts'
import { sdkError } from '../sdk-errors.ts'

export interface Description {
  readonly moniker: string
  readonly identity: string
  readonly website: string
  readonly securityContact: string
  readonly details: string
}

/** The member stays as it is in an edit. */
const DO_NOT_MODIFY = '[do-not-modify]'

/** Most bytes of each, and the SDK's name of it. */
const BOUNDS = {
  moniker: ['moniker', 70],
  identity: ['identity', 3_000],
  website: ['website', 140],
  securityContact: ['security contact', 140],
  details: ['details', 280],
} as const

const MEMBERS = Object.keys(BOUNDS) as readonly (keyof Description)[]

/** The members alone, whatever else the object carries. */
const toDescription = ({ moniker, identity, website, securityContact, details }: Description): Description => ({
  moniker,
  identity,
  website,
  securityContact,
  details,
})

export const EMPTY_DESCRIPTION: Description = {
  moniker: '',
  identity: '',
  website: '',
  securityContact: '',
  details: '',
}

/** Throws sdk/18 when a member is too long. */
export const checkDescription = (description: Description): Description => {
  for (const member of MEMBERS) {
    const [name, most] = BOUNDS[member]
    const { length } = utf8ToBytes(description[member])
    if (length > most) throw sdkError('invalidRequest', `invalid ${name} length; got: ${length}, max: ${most}`)
  }
  return description
}

/** Throws sdk/18 when nothing is said, or a member is too long. */
export const parseDescription = (description: Description | undefined): Description => {
  if (description === undefined || MEMBERS.every((member) => description[member] === '')) {
    throw sdkError('invalidRequest', 'empty description')
  }
  return checkDescription(toDescription(description))
}

/** The description after an edit. */
export const updateDescription = (old: Description, edit: Description): Description => {
  const pick = (member: keyof Description): string => (edit[member] === DO_NOT_MODIFY ? old[member] : edit[member])
  return checkDescription({
    moniker: pick('moniker'),
    identity: pick('identity'),
    website: pick('website'),
    securityContact: pick('securityContact'),
    details: pick('details'),
  })
}
