import beautyHealthDrugstore from './beauty-health-drugstore.tsv' with { type: 'text' }
import clothing from './clothing.tsv' with { type: 'text' }
import electronicsComputersPhones from './electronics-computers-phones.tsv' with { type: 'text' }
import foodDrinks from './food-drinks.tsv' with { type: 'text' }
import homeFurniture from './home-furniture.tsv' with { type: 'text' }
import householdAppliancesCleaning from './household-appliances-cleaning.tsv' with { type: 'text' }
import kitchenTableware from './kitchen-tableware.tsv' with { type: 'text' }
import modifiers from './modifiers.tsv' with { type: 'text' }
import officeStationeryArtMusic from './office-stationery-art-music.tsv' with { type: 'text' }
import petsAnimalsPlants from './pets-animals-plants.tsv' with { type: 'text' }
import shoesBagsAccessories from './shoes-bags-accessories.tsv' with { type: 'text' }
import sportsOutdoorBikes from './sports-outdoor-bikes.tsv' with { type: 'text' }
import textilesDecorLighting from './textiles-decor-lighting.tsv' with { type: 'text' }
import toolsDiyGardenCar from './tools-diy-garden-car.tsv' with { type: 'text' }
import toysKidsBabyBooks from './toys-kids-baby-books.tsv' with { type: 'text' }

/** The files of the dictionary, by name. Of two meanings of a word that of the earlier file counts. */
export const DICTIONARY_FILES: Readonly<Record<string, string>> = {
  clothing: clothing,
  'shoes-bags-accessories': shoesBagsAccessories,
  'home-furniture': homeFurniture,
  'textiles-decor-lighting': textilesDecorLighting,
  'kitchen-tableware': kitchenTableware,
  'beauty-health-drugstore': beautyHealthDrugstore,
  'electronics-computers-phones': electronicsComputersPhones,
  'household-appliances-cleaning': householdAppliancesCleaning,
  'office-stationery-art-music': officeStationeryArtMusic,
  'pets-animals-plants': petsAnimalsPlants,
  'sports-outdoor-bikes': sportsOutdoorBikes,
  'tools-diy-garden-car': toolsDiyGardenCar,
  'toys-kids-baby-books': toysKidsBabyBooks,
  'food-drinks': foodDrinks,
  modifiers: modifiers,
}
