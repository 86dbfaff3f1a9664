import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Créer le premier compte',
  who: 'Qui êtes-vous ?',
  whoHint: 'Ce compte sera le propriétaire de cette installation. Rien n’est envoyé ailleurs.',
  store: 'Nom de votre boutique',
  address: 'Son adresse ici :',
  numbered: 'Une autre boutique a déjà cette adresse ; la vôtre sera suivie d’un numéro.',
  make: 'Créer ma boutique',
  making: 'Création de votre boutique…',
  badEmail: 'Ce n’est pas une adresse e-mail.',
  badStore: 'Un nom est une ligne de 1 à 100 caractères.',
  ended: 'Ce lien ne fonctionne plus',
  endedHint:
    'Ce lien a déjà servi ou date de plus de 30 minutes. Exécutez ceci là où tourne le service, ou redémarrez le service :',
  endedMore: 'La commande affiche un nouveau lien. Ouvrez-le ici.',
  incomplete: 'Ce lien est incomplet',
  incompleteHint:
    'Ouvrez le lien complet que le service a affiché dans son terminal. Perdu ? Exécutez ceci là où tourne le service :',
  owned: 'Cette installation a déjà un propriétaire',
  ownedHint: 'Connectez-vous, ou demandez une invitation au propriétaire.',
}
