import { useState } from 'preact/hooks'
import { readPerson } from '../../api/person.ts'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { SignInForm } from '../../shell/sign-in-form.tsx'
import { t } from './texts/texts.ts'

interface JoinWithAccountProps {
  /** The address that is invited. */
  email: string
  /** The address that is signed in; null for none. */
  person: string | null
  /** @throws CallError */
  onJoin(): Promise<void>
}

/** Lets a person with an account join: at once with its sign-in, or after it. */
export function JoinWithAccount({ email, person: first, onJoin }: JoinWithAccountProps) {
  const [person, setPerson] = useState(first)
  const { isBusy, error, run } = useSending()

  /** The form takes any address: somebody who signs in as another person must not make this one join. */
  async function joinAfterSignIn() {
    const now = await readPerson()
    setPerson(now)
    if (now === email) await onJoin()
  }

  if (person !== email)
    return (
      <>
        <p>{person === null ? t.known : t.otherPerson(person)}</p>
        <SignInForm key={person} email={email} onDone={() => run(joinAfterSignIn)} />
        {error && <Failure error={error} />}
      </>
    )
  return (
    <>
      <p>{t.signedIn}</p>
      {error && <Failure error={error} />}
      <p class="actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => run(onJoin)}>
          {isBusy ? t.joining : t.join}
        </button>
      </p>
    </>
  )
}
