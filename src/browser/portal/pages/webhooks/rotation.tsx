import { useState } from 'preact/hooks'
import type { SigningSecret } from '#generated/api.ts'
import { Choice } from '../../parts/choice.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { t } from './texts/texts.ts'

interface RotationProps {
  question: string
  /** @throws CallError */
  rotate(graceSeconds: number): Promise<SigningSecret>
  onSecret(secret: SigningSecret): void
  onClose(): void
}

/** A new signing secret; both sign for a while, so that no receiver breaks. */
export function Rotation({ question, rotate, onSecret, onClose }: RotationProps) {
  const [grace, setGrace] = useState('86400')
  return (
    <Confirm
      {...{ question, onClose }}
      action={t.rotate}
      onConfirm={async () => onSecret(await rotate(Number(grace)))}
    >
      <p>{t.rotateHint}</p>
      <Choice label={t.grace} value={grace} onValue={setGrace} choices={Object.entries(t.graces)} />
    </Confirm>
  )
}
