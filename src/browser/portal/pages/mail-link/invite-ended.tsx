import type { CallError } from '../../api/errors.ts'
import { Said } from './link.tsx'
import { t } from './texts/texts.ts'

type End = keyof typeof t.inviteEnds

const isEnd = (name: unknown): name is End => typeof name === 'string' && Object.hasOwn(t.inviteEnds, name)

/** What became of the invitation: the API tells it by a state, or by the code of its refusal. */
function readEnd({ code, details }: CallError): End {
  if (isEnd(details['status'])) return details['status']
  return isEnd(code) ? code : 'unauthorized'
}

/** Says why nobody can join by this link, and what to do instead. */
export function InviteEnded({ error }: { error: CallError }) {
  const [heading, text] = t.inviteEnds[readEnd(error)]
  return <Said heading={heading} text={text} />
}
