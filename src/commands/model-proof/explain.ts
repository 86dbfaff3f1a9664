import { UnusableModel } from '../../platform/embedder/model-layout.ts'

/** What the libraries say of a model that does not work, and what it means. */
const MEANINGS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [
    /(?:ENOENT|Could not locate file|no such file).*?((?:onnx\/)?[\w.-]+\.(?:json|onnx(?:_data)?))/i,
    (file) => `${file} is missing: fetch the folder again`,
  ],
  [
    /external data|external initializer|escapes|model_path.*outside/i,
    () =>
      'its weights lie partly in a file elsewhere, and only files of the folder itself are read: export it with weights inside',
  ],
  [
    /Protobuf parsing failed|ModelProto does not have a graph|INVALID_PROTOBUF|Load model from .* failed:.*(?:parse|EOF)/i,
    () => 'a file in onnx/ is damaged or was cut short: fetch the folder again',
  ],
  [
    /(?:No Op registered for |Op \(|operator )'?([\w.:]+)|(?<![\w.])([\w.]{1,100})(?:\(\d{1,9}\))? is not a registered function\/op/i,
    (operator) =>
      `it uses the operator ${operator}, which the runtime does not know: export it with standard operators`,
  ],
  [
    /indices element out of data bounds|out of (?:data )?bounds|idx=.*must be within/i,
    () =>
      'its tokenizer gives tokens that the model does not have, so it belongs to another model: fetch the folder again',
  ],
  [
    /without a direction|NaN/i,
    () => 'its vectors are no numbers (NaN) or all zero: the weights are damaged, or were made badly',
  ],
  [
    /Got invalid dimensions|Unexpected input data type|Invalid (?:rank|feed|input)|gave no (?:image|text)_embeds|Missing the following inputs/i,
    () =>
      'its inputs or outputs have other names or shapes than the family has: it is no export in the layout of transformers.js',
  ],
  [
    /JSON|Unexpected (?:token|end)|Unexpected identifier/,
    () => 'one of its JSON files is damaged: fetch the folder again',
  ],
]

const WORDS_MAX = 240

/** One sentence for the operator. */
export function explainModelError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UnusableModel) return `The model cannot be used: ${message}.`
  for (const [pattern, say] of MEANINGS) {
    const found = pattern.exec(message)
    if (found) return `The model cannot be used: ${say(found[1] ?? found[2] ?? '')}.`
  }
  const said = message.replaceAll(/\s+/g, ' ').slice(0, WORDS_MAX).replace(/\.$/, '')
  return `The model cannot be used: ${said}.`
}
