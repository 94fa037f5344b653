/** The first sentence above each service and method in the definitions: generated code keeps no comments at run time. */
interface Location {
  /** Numbers of fields of FileDescriptorProto and places in them: 6 is `service`, below it 2 is `method`. */
  readonly path?: readonly number[]
  readonly leadingComments?: string
}

interface File {
  readonly package?: string
  readonly service?: readonly { readonly name: string; readonly method?: readonly { readonly name: string }[] }[]
  readonly sourceCodeInfo?: { readonly location?: readonly Location[] }
}

/** JSON of `buf build --as-file-descriptor-set`. */
export interface DescriptorSet {
  readonly file: readonly File[]
}

const SERVICE = 6
const METHOD = 2

/** Undefined where there is no comment. */
const firstSentence = (comment: string): string | undefined => {
  const [paragraph = ''] = comment.trim().split(/\n\s*\n/)
  const text = paragraph.replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.*?[.](?= [A-Z]|$)/.exec(text)?.[0] ?? text
  return sentence === '' ? undefined : sentence.replace(/\.$/, '')
}

const nameOf = ({ package: pack = '', service = [] }: File, path: readonly number[]): string | undefined => {
  const [kind, at = -1, member, below = -1] = path
  const found = service[at]
  if (kind !== SERVICE || found === undefined) return undefined
  const name = `${pack}.${found.name}`
  if (path.length === 2) return name
  const method = member === METHOD && path.length === 4 ? found.method?.[below] : undefined
  return method === undefined ? undefined : `${name}/${method.name}`
}

/** Finds the sentences by `package.Service` and `package.Service/Method`, in the order of these names. */
export const readSummaries = ({ file }: DescriptorSet): ReadonlyMap<string, string> => {
  const summaries = new Map<string, string>()
  for (const each of file) {
    for (const { path = [], leadingComments = '' } of each.sourceCodeInfo?.location ?? []) {
      const name = nameOf(each, path)
      const sentence = name === undefined ? undefined : firstSentence(leadingComments)
      if (name !== undefined && sentence !== undefined) summaries.set(name, sentence)
    }
  }
  return new Map([...summaries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
