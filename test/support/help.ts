/**
 * Takes the address of the error's page out of the body of a failure, so that a test compares what the failure itself says.
 *
 * Every failure names that page (contract 7.1), so it is checked here, for each failure that any test meets.
 *
 * @throws Error if `details.help` is not the page of the code.
 */
export function withoutHelp<Body extends Record<string, unknown>>(body: Body): Body {
  const { details, ...rest } = body
  const { help, ...others } = (details ?? {}) as Record<string, unknown>
  if (help !== `/errors/${body['error']}`) {
    throw new Error(`The failure ${body['error']} has no details.help: ${JSON.stringify(body)}`)
  }
  return { ...rest, ...(Object.keys(others).length > 0 && { details: others }) } as unknown as Body
}
