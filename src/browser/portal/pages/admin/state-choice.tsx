import { Choice } from '../../parts/choice.tsx'
import { t } from './texts/texts.ts'

interface StateChoiceProps<State extends string> {
  value: NoInfer<State>
  /** In their order; the empty one stands for all. */
  states: readonly State[]
  names: Readonly<Record<Exclude<NoInfer<State>, ''>, string>>
  onValue(value: NoInfer<State>): void
}

/** Narrows a list by a state. */
export function StateChoice<State extends string>({
  value,
  states,
  names,
  onValue,
}: StateChoiceProps<State>) {
  const nameOf = (state: State): string => (state === '' ? t.allStates : names[state as Exclude<State, ''>])
  return (
    <Choice
      label={t.state}
      value={value}
      onValue={(chosen) => onValue(chosen as State)}
      choices={states.map((state) => [state, nameOf(state)])}
    />
  )
}
