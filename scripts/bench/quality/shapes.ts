/** Further kinds, drawn like those of `drawn.ts`: in a square of 200, `F` the fill and `D` a darker tone. */
export const MORE_KINDS: Readonly<Record<string, string>> = {
  scarf:
    '<path d="M40 40q60 50 120 0l8 26q-68 56-136 0z" fill="F"/><path d="M64 78l-8 104h34l6-92z" fill="F"/><path d="M56 182v12M66 182v12M76 182v12M86 182v12" stroke="D" stroke-width="4"/>',
  jacket:
    '<path d="M66 24L32 46 14 150l28 8 12-60v86h92V98l12 60 28-8-18-104-34-22-20 16h-28z" fill="F"/><path d="M100 40v144" stroke="D" stroke-width="6"/><path d="M66 24l34 46 34-46M66 130h22M112 130h22" fill="none" stroke="D" stroke-width="6"/>',
  sock: '<path d="M70 14h50v90q44 22 50 46 2 26-26 26-66-8-74-40z" fill="F"/><path d="M70 28h50" stroke="D" stroke-width="12"/>',
  teapot:
    '<ellipse cx="98" cy="120" rx="58" ry="48" fill="F"/><path d="M152 112l36-36 6 10-34 56z" fill="F"/><path d="M42 92q-36 4-30 34t38 22" fill="none" stroke="F" stroke-width="11"/><ellipse cx="98" cy="74" rx="32" ry="7" fill="D"/><circle cx="98" cy="62" r="8" fill="D"/>',
  wineglass:
    '<path d="M62 16h76q4 74-38 84-42-10-38-84z" fill="F"/><path d="M100 98v74" stroke="D" stroke-width="6"/><ellipse cx="100" cy="178" rx="36" ry="7" fill="D"/>',
  spoon:
    '<ellipse cx="64" cy="58" rx="30" ry="40" transform="rotate(-40 64 58)" fill="F"/><path d="M84 80l88 96" stroke="F" stroke-width="12" stroke-linecap="round"/><ellipse cx="60" cy="54" rx="17" ry="26" transform="rotate(-40 60 54)" fill="D"/>',
  knife:
    '<path d="M16 60q70-22 108 32l-12 14q-50 0-96-46z" fill="F"/><path d="M116 96l66 62" stroke="D" stroke-width="20" stroke-linecap="round"/>',
  pan: '<ellipse cx="80" cy="112" rx="68" ry="44" fill="F"/><ellipse cx="80" cy="106" rx="54" ry="32" fill="D"/><path d="M140 94l52-36" stroke="F" stroke-width="14" stroke-linecap="round"/>',
  candle:
    '<rect x="70" y="72" width="60" height="112" rx="6" fill="F"/><ellipse cx="100" cy="72" rx="30" ry="8" fill="D"/><path d="M100 72V56" stroke="#333" stroke-width="3"/><path d="M100 20q18 26 0 40-18-14 0-40z" fill="#f6a623"/>',
  mirror:
    '<ellipse cx="100" cy="100" rx="66" ry="88" fill="F"/><ellipse cx="100" cy="100" rx="54" ry="75" fill="#dfe9ee"/><path d="M70 130l50-70M92 144l44-62" stroke="#fff" stroke-width="7"/>',
  watch:
    '<rect x="78" y="8" width="44" height="184" rx="10" fill="F"/><circle cx="100" cy="100" r="46" fill="D"/><circle cx="100" cy="100" r="36" fill="#f7f7f4"/><path d="M100 100V76M100 100l18 10" stroke="#222" stroke-width="4"/><rect x="146" y="94" width="10" height="12" fill="D"/>',
  necklace:
    '<path d="M34 20q-6 110 66 128 72-18 66-128" fill="none" stroke="D" stroke-width="5"/><path d="M100 146l22 24-22 26-22-26z" fill="F"/>',
  bicycle:
    '<circle cx="48" cy="132" r="40" fill="none" stroke="#333" stroke-width="7"/><circle cx="154" cy="132" r="40" fill="none" stroke="#333" stroke-width="7"/><path d="M48 132l36-62h56l14 62M84 70l18 62h-54M102 132l38-62" fill="none" stroke="F" stroke-width="9"/><path d="M72 62h26M136 54h22" stroke="D" stroke-width="8"/>',
  ball: '<circle cx="100" cy="100" r="82" fill="F"/><path d="M18 100h164M100 18v164M42 42q58 58 0 116M158 42q-58 58 0 116" fill="none" stroke="D" stroke-width="5"/>',
  book: '<path d="M30 34l96-16v146l-96 18z" fill="F"/><path d="M126 18l44 14v146l-44-14z" fill="D"/><path d="M46 62l62-10M46 80l44-7" stroke="#fff" stroke-width="6"/>',
  basket:
    '<path d="M22 86h156l-20 92H42z" fill="F"/><path d="M30 108h140M36 132h128M40 156h120M64 86l8 92M100 86v92M136 86l-8 92" stroke="D" stroke-width="4"/><path d="M46 86q0-66 54-66t54 66" fill="none" stroke="D" stroke-width="9"/>',
  suitcase:
    '<rect x="40" y="46" width="120" height="136" rx="14" fill="F"/><path d="M64 60v108M88 60v108M112 60v108M136 60v108" stroke="D" stroke-width="4"/><path d="M76 46V12h48v34" fill="none" stroke="#555" stroke-width="7"/><circle cx="62" cy="188" r="8" fill="#333"/><circle cx="138" cy="188" r="8" fill="#333"/>',
  headphones:
    '<path d="M36 120q-6-96 64-96t64 96" fill="none" stroke="F" stroke-width="13"/><rect x="20" y="106" width="40" height="66" rx="16" fill="F"/><rect x="140" y="106" width="40" height="66" rx="16" fill="F"/><rect x="50" y="112" width="14" height="54" rx="6" fill="D"/><rect x="136" y="112" width="14" height="54" rx="6" fill="D"/>',
  stool:
    '<ellipse cx="100" cy="60" rx="62" ry="18" fill="F"/><path d="M56 70L36 186M144 70l20 116M86 76l-6 110M114 76l6 110" stroke="D" stroke-width="9"/><path d="M48 136h104" stroke="D" stroke-width="6"/>',
  planter:
    '<path d="M48 108h104l-14 78H62z" fill="F"/><rect x="40" y="98" width="120" height="18" fill="D"/><path d="M100 98q-6-50-50-66 6 52 50 66zM100 98q6-60 54-72-6 56-54 72zM100 98q-14-50 0-88 14 38 0 88z" fill="#4d8b4a"/>',
}
