import { useState } from 'preact/hooks'
import type { InvitationAccepted, InvitationOffer } from '#generated/api.ts'
import type { CallError } from '../../api/errors.ts'
import { readPerson } from '../../api/person.ts'
import { takeCookie } from '../../api/session.ts'
import { send } from '../../api/transport.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { go } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { t as team } from '../team/texts/texts.ts'
import { InviteEnded } from './invite-ended.tsx'
import { JoinAsNewcomer, type NewMember } from './join-as-newcomer.tsx'
import { JoinWithAccount } from './join-with-account.tsx'
import { forgetToken, Incomplete, useTitle, useToken } from './link.tsx'
import { t } from './texts/texts.ts'

interface Opened {
  offer: InvitationOffer
  /** E-mail address of whoever is signed in here; null for nobody, and where it does not matter. */
  person: string | null
}

/** Looks what a link offers, which changes nothing. @throws CallError */
async function openInvite(token: string): Promise<Opened> {
  const offer = (await send('POST', '/v1/team/invites/look', { body: { token } })) as InvitationOffer
  return { offer, person: offer.is_existing_user ? await readPerson() : null }
}

/** Accepts an invitation and opens its store. @throws CallError */
async function join(token: string, newcomer?: NewMember): Promise<void> {
  const accepted = (await send('POST', '/v1/team/invites/accept', {
    body: { token, ...newcomer },
  })) as InvitationAccepted
  forgetToken()
  // Without the cookie, which a browser may refuse, the store asks the new member to sign in.
  if (!accepted.is_existing_user) await takeCookie(accepted.user_id).catch(() => {})
  go(accepted.redirect)
}

/** Failures that say what became of the invitation; all others leave it as it is. */
const isOver = ({ code }: CallError): boolean =>
  ['conflict', 'unauthorized', 'store_suspended', 'account_not_verified'].includes(code)

/** Shows what an invitation offers, and lets its person join. */
export function Page() {
  const token = useToken()
  const [opened, retry] = useLoad<Opened | null>(async () => (token === '' ? null : openInvite(token)), [])
  const [end, setEnd] = useState<CallError | null>(null)
  if (token === '') return <Incomplete />
  if (end) return <InviteEnded error={end} />
  if (opened.state === 'failed')
    return isOver(opened.error) ? (
      <InviteEnded error={opened.error} />
    ) : (
      <Failure error={opened.error} onRetry={retry} />
    )
  if (opened.state === 'loading' || opened.value === null) return <p class="waiting">{shell.loading}</p>
  const { offer, person } = opened.value

  /** Joins, or shows what became of the invitation meanwhile. @throws CallError that leaves it as it is. */
  const tryToJoin = (newcomer?: NewMember) =>
    join(token, newcomer).catch((thrown: CallError) => {
      if (!isOver(thrown)) throw thrown
      setEnd(thrown)
    })

  return (
    <>
      <Offer offer={offer} />
      {offer.is_existing_user ? (
        <JoinWithAccount email={offer.email} person={person} onJoin={tryToJoin} />
      ) : (
        <JoinAsNewcomer email={offer.email} storeName={offer.store_name} onJoin={tryToJoin} />
      )}
      <p class="muted">{t.unexpected}</p>
    </>
  )
}

function Offer({ offer: { store_name, role, invited_by, email } }: { offer: InvitationOffer }) {
  useTitle(t.invited)
  return (
    <>
      <h1>{t.invited}</h1>
      <dl class="invited">
        <Fact label={t.store} value={store_name} />
        <Fact label={team.role} value={team.roles[role]} more={team.roleMeans[role]} />
        {invited_by !== null && <Fact label={t.invitedBy} value={invited_by} />}
        <Fact label={shell.email} value={email} />
      </dl>
    </>
  )
}

const Fact = ({ label, value, more }: { label: string; value: string; more?: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <strong dir="auto">{value}</strong>
      {more && <span class="muted"> {more}</span>}
    </dd>
  </div>
)
