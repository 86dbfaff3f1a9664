/** The `User-Agent` by which the program's own commands say who they are. Anybody may send it: it decides nothing. */
export const CLI_AGENT = 'lookalike-cli'
