/** The headers of a part that matter. */
export interface PartHead {
  /** Undefined for a part that is no named field of a form. */
  name: string | undefined
  /** Undefined for a part that is no file. */
  fileName: string | undefined
  /** Media type, in lower case. */
  type: string
  charset: string | undefined
}

const LINE_END = '\r\n'
/** A header may go on in lines that begin with white space (RFC 5322 §2.2.3). */
const FOLD = /\r\n(?=[ \t])/g
const DISPOSITION = /^content-disposition\s*:/i
const TYPE = /^content-type\s*:/i
const FORM_DATA = /^content-disposition\s*:\s*form-data\s*/i
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\"(?=[^";]*")|[^"])*)"|([^\s;"]*))\s*/gy
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i

/** Reads the headers of one part, without the empty line that ends them. */
export function readPartHead(bytes: Buffer): PartHead {
  const lines = bytes.toString('utf8').replace(FOLD, '').split(LINE_END)
  const find = (pattern: RegExp): string => lines.find((line) => pattern.test(line)) ?? ''
  const type = find(TYPE)
  return {
    ...readDisposition(find(DISPOSITION)),
    type: type.replace(TYPE, '').split(';', 1)[0]?.trim().toLowerCase() || 'text/plain',
    charset: CHARSET.exec(type)?.[1],
  }
}

/** A file name as `UTF-8''gr%C3%BCn.csv` (RFC 5987). Browsers never send one, and some libraries do. */
function readExtended(value: string): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1]
  try {
    return encoded && decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Browsers write `"` and line ends as %22, %0D and %0A (WHATWG HTML); others write `\"` in the middle of a value. */
function readDisposition(header: string): Pick<PartHead, 'name' | 'fileName'> {
  const found: Pick<PartHead, 'name' | 'fileName'> = { name: undefined, fileName: undefined }
  PARAMETER.lastIndex = FORM_DATA.exec(header)?.[0].length ?? header.length
  for (const [, key = '', quoted, plain] of header.matchAll(PARAMETER)) {
    const value =
      quoted?.replace(/%(?:22|0d|0a)/gi, (code) => decodeURIComponent(code)).replaceAll('\\"', '"') ?? plain
    const field = key.toLowerCase()
    if (field === 'name') found.name ??= value
    else if (field === 'filename') found.fileName ??= value
    else if (field === 'filename*') found.fileName = readExtended(value ?? '') ?? found.fileName ?? value
  }
  return found
}
