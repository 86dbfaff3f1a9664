import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('fr')

export const texts: Texts = {
  heading: 'Choisir une boutique',
  operator: 'Exploitant de cette installation',
  operatorPages: 'Aller aux pages de l’exploitant',
  yours: 'Vos boutiques',
  all: 'Toutes les boutiques',
  filter: 'Filtrer par nom',
  suspended: 'Suspendue',
  lastUsed: (ago) => `Dernière utilisation : ${ago}`,
  products: (count) => counted(count, 'produit', 'produits'),
  none: 'Vous ne faites encore partie d’aucune boutique. Un propriétaire peut vous inviter.',
  noneFits: 'Aucune boutique ne contient cela dans son nom.',
  roles: {
    owner: 'Propriétaire',
    admin: 'Administrateur',
    developer: 'Développeur',
    viewer: 'Lecteur',
  },
  signOut: 'Se déconnecter',
}
