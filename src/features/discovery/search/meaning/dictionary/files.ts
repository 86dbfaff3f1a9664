import clothing from './clothing.tsv' with { type: 'text' }
import homeFurniture from './home-furniture.tsv' with { type: 'text' }
import kitchenTableware from './kitchen-tableware.tsv' with { type: 'text' }
import modifiers from './modifiers.tsv' with { type: 'text' }
import shoes from './shoes-bags-accessories.tsv' with { type: 'text' }

/** The files of the dictionary, by name. */
export const DICTIONARY_FILES: Readonly<Record<string, string>> = {
  clothing,
  'shoes-bags-accessories': shoes,
  'home-furniture': homeFurniture,
  'kitchen-tableware': kitchenTableware,
  modifiers,
}
