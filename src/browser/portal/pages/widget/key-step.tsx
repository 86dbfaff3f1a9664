import { useEffect, useId, useState } from 'preact/hooks'
import type { WidgetKey } from '#generated/api.ts'
import { call, readVersion } from '../../api/client.ts'
import { formatAgo } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useSending } from '../../parts/use-sending.ts'
import { readShopOrigins } from './snippet.ts'
import type { FactsProps } from './system-step.tsx'
import { t } from './texts/texts.ts'

interface KeyStepProps extends FactsProps {
  keys: readonly WidgetKey[]
  chosen: WidgetKey | null
  onChoose(id: string): void
  onKey(key: WidgetKey): void
  onRevoked(id: string): void
}

/** The second step: the addresses of the shop, and the key that works there. */
export function KeyStep({ keys, chosen, onChoose, onKey, onRevoked, settings, onFacts }: KeyStepProps) {
  const [isMaking, setMaking] = useState(false)
  return (
    <>
      <h2>{t.origin}</h2>
      {keys.length > 1 && chosen && (
        <Choice
          label={t.key}
          value={chosen.id}
          onValue={onChoose}
          choices={keys.map(({ id, name, origins }) => [id, `${name} · ${origins[0]}`])}
        />
      )}
      {chosen && !isMaking ? (
        <>
          <ChosenKey key={chosen.id} shown={chosen} onKey={onKey} onRevoked={onRevoked} />
          <button type="button" class="link" onClick={() => setMaking(true)}>
            {t.anotherKey}
          </button>
        </>
      ) : (
        <NewKey
          known={settings?.shop_url ?? ''}
          onMade={async (key) => {
            setMaking(false)
            onKey(key)
            const [shop_url] = key.origins
            // The addresses of products are below the shop's.
            if (settings && !settings.shop_url && shop_url) await onFacts({ shop_url })
          }}
        />
      )}
    </>
  )
}

function NewKey({ known, onMade }: { known: string; onMade(key: WidgetKey): Promise<void> }) {
  const [typed, setTyped] = useState(known)
  const [without, setWithout] = useState<readonly string[]>([])
  const [isBad, setBad] = useState(false)
  const offered = readShopOrigins(typed)
  const origins = offered.filter((origin) => !without.includes(origin))
  const make = useAction(async () => {
    const name = new URL(origins[0] ?? '').host.slice(0, 100)
    await onMade(await call('POST /v1/security/public-keys', { body: { name, origins: [...origins] } }))
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setBad(origins.length === 0)
        if (origins.length > 0) make.run()
      }}
    >
      <Field
        label={t.shopAddress}
        hint={t.shopAddressHint}
        error={isBad ? t.badAddress : undefined}
        value={typed}
        onValue={(text) => {
          setTyped(text)
          setBad(false)
        }}
        inputMode="url"
        autocomplete="url"
        maxLength={300}
      />
      {offered.length > 0 && (
        <fieldset>
          <legend>{t.allowed}</legend>
          {offered.map((origin) => (
            <Tick
              key={origin}
              label={origin}
              isOn={!without.includes(origin)}
              onChange={(isOn) =>
                setWithout(isOn ? without.filter((one) => one !== origin) : [...without, origin])
              }
            />
          ))}
        </fieldset>
      )}
      {make.error && <Failure error={make.error} />}
      <button type="submit" class="primary" disabled={make.isBusy}>
        {make.isBusy ? t.makingKey : t.makeKey}
      </button>
    </form>
  )
}

/** A box to tick, with its text. */
export function Tick({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange(isOn: boolean): void
}) {
  const id = useId()
  return (
    <p class="tick">
      <input
        type="checkbox"
        id={id}
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id} dir="auto">
        {label}
      </label>
    </p>
  )
}

interface ChosenKeyProps {
  shown: WidgetKey
  onKey(key: WidgetKey): void
  onRevoked(id: string): void
}

/** A key that is there: its value, its addresses, and the way to end it. */
function ChosenKey({ shown, onKey, onRevoked }: ChosenKeyProps) {
  const { id, key, name, origins } = shown
  const path = { id }
  const version = useVersion(shown, onKey)
  const [isRevoking, setRevoking] = useState(false)
  const [wanted, setWanted] = useState<readonly string[]>(origins)
  const { isBusy, error, run } = useSending()
  /** @param ifMatch the version that may be overwritten. */
  const save = (ifMatch: string | null) =>
    run(async () => {
      const body = { origins: [...wanted] }
      onKey(await call('PATCH /v1/security/public-keys/{id}', { path, body, ifMatch }))
    })
  return (
    <>
      {key === null ? <p>{t.keyUnknown}</p> : <Copied text={key} />}
      <p class="muted">{t.keyHint}</p>
      <Origins
        origins={wanted}
        isChanged={wanted.join() !== origins.join()}
        onChange={setWanted}
        onSave={() => save(version)}
        isBusy={isBusy}
      />
      <NotSaved
        {...{ error, isBusy }}
        before={showOrigins(shown)}
        load={async (signal) =>
          showOrigins(await call('GET /v1/security/public-keys/{id}', { path, signal }))
        }
        onSave={save}
      />
      <button type="button" class="link" onClick={() => setRevoking(true)}>
        {t.revoke}
      </button>
      {isRevoking && (
        <Confirm
          question={t.revokeSure(name)}
          action={t.revoke}
          onConfirm={async () => {
            await call('DELETE /v1/security/public-keys/{id}', { path: { id } })
            onRevoked(id)
          }}
          onClose={() => setRevoking(false)}
        >
          <Losses shown={shown} />
        </Confirm>
      )}
    </>
  )
}

const showOrigins = ({ origins }: WidgetKey): Shown => ({ [t.origin]: origins.join(', ') })

/** Reads the version of a key that a list has shown. A key that has changed since is shown as it is now. */
function useVersion({ id, origins }: WidgetKey, onKey: (key: WidgetKey) => void): string | null {
  const [version, setVersion] = useState<string | null>(null)
  const listed = origins.join()
  useEffect(() => {
    const stop = new AbortController()
    readVersion('GET /v1/security/public-keys/{id}', { path: { id }, signal: stop.signal }).then(
      (latest) => {
        if (stop.signal.aborted) return
        setVersion(latest.version)
        if (latest.value.origins.join() !== listed) onKey(latest.value)
      },
      // Without a version a change overwrites what is there.
      () => {},
    )
    return () => stop.abort()
  }, [id, listed])
  return version
}

/** What stops to work without a key. */
function Losses({ shown: { seen } }: { shown: WidgetKey }) {
  const used = seen.filter(({ last_search_at }) => last_search_at !== null)
  return (
    <>
      {used.length === 0 && <p>{t.revokeUnseen}</p>}
      {used.map(({ origin, last_search_at }) => (
        <p key={origin}>{t.revokeSeen(origin, formatAgo(last_search_at ?? ''))}</p>
      ))}
      <p>{t.revokeEnd}</p>
    </>
  )
}

interface OriginsProps {
  origins: readonly string[]
  isChanged: boolean
  isBusy: boolean
  onChange(origins: readonly string[]): void
  onSave(): void
}

function Origins({ origins, isChanged, isBusy, onChange, onSave }: OriginsProps) {
  const [typed, setTyped] = useState('')
  const [isBad, setBad] = useState(false)
  function add(event: Event) {
    event.preventDefault()
    const [origin] = readShopOrigins(typed)
    setBad(!origin)
    if (!origin) return
    onChange([...new Set([...origins, origin])])
    setTyped('')
  }
  return (
    <>
      <p>{t.allowed}</p>
      <ul class="origins">
        {origins.map((origin) => (
          <li key={origin}>
            <span>{origin}</span>
            {origins.length > 1 && (
              <button
                type="button"
                class="link"
                aria-label={t.removeAddress(origin)}
                onClick={() => onChange(origins.filter((one) => one !== origin))}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      <form class="beside" onSubmit={add}>
        <Field
          label={t.addAddress}
          value={typed}
          onValue={setTyped}
          error={isBad ? t.badAddress : undefined}
          inputMode="url"
          maxLength={300}
        />
        <button type="submit">{t.add}</button>
      </form>
      {isChanged && (
        <button type="button" disabled={isBusy} onClick={onSave}>
          {t.saveAddresses}
        </button>
      )}
    </>
  )
}
