/**
 * What most guessed passwords are made of, reduced as `reduced` in password-policy.ts does: lowercase, without the digits
 * and signs around it, look-alike digits read as letters. With that, one entry stands for hundreds of known passwords.
 */
const words = `
  password passwords passwort passwd motdepasse contrasena parola wachtwoord senha qwerty qwertz azerty
  letmein welcome welcometo iloveyou iloveu loveyou ilovemyself changeme changemenow changepassword default guest
  admin administrator administrador adminadmin root rootroot superuser superadmin sysadmin user username login test
  testing tester testtest testuser demo demouser temp temporary secret topsecret mysecret mypassword newpassword
  oldpassword passwordpassword nopassword thepassword yourpassword passphrase access accessgranted master
  mastermaster monkey monkeymonkey dragon dragonball dragonballz football baseball basketball softball volleyball
  soccer hockey superman batman batmanbatman spiderman ironman wonderwoman pokemon starwars startrek jedi
  princess sunshine shadow michael michaeljordan jordan jessica jennifer charlie daniel thomas george andrew joshua
  matthew anthony robert william ashley amanda nicole samantha stephanie elizabeth alexander alexandra christian
  christopher christine patrick victoria veronica valentina sebastian francesco giovanni alejandro alejandra
  fernando gabriela isabella mariana carolina andreea cristina leonardo internet computer computers laptop windows
  microsoft google facebook youtube twitter instagram linkedin whatsapp samsung android iphone apple macintosh nokia
  blackberry blink myspace hotmail gmail yahoo amazon netflix playstation nintendo minecraft fortnite roblox
  counterstrike warcraft worldofwarcraft starcraft liverpool liverpoolfc manchester manchesterunited manutd chelsea
  chelseafc arsenal arsenalfc barcelona fcbarcelona realmadrid juventus bayernmunich galatasaray fenerbahce besiktas
  ronaldo messi neymar maradona lakers cowboys steelers yankees eagles ferrari porsche mercedes mustang corvette
  camaro lamborghini harleydavidson motorcycle mountain butterfly chocolate strawberry blueberry cinnamon
  peanutbutter cheesecake watermelon pineapple banana orange summer summertime winter autumn spring january february
  march april june july august september october november december monday tuesday wednesday thursday friday saturday
  sunday christmas halloween birthday happybirthday anniversary happy happyhappy forever foreverlove iloveyouforever
  lovelove loveme lover lovers babygirl babyboy babybaby sweetheart sweetie beautiful gorgeous handsome angel angels
  heaven jesus jesuschrist jesuslovesme godisgood godislove ilovejesus ilovegod blessed whatever trustno trustnoone
  nothing something anything everything everyone nobody somebody freedom whatthehell fuckyou fuckoff fuckme
  motherfucker asshole bullshit bitch biteme goaway killer hunter ranger soldier warrior thunder lightning phoenix
  scorpion elephant dolphin dolphins tigers tiger lion panther leopard panda penguin unicorn rainbow rainbows
  chicken hamster kitty hellokitty kittycat puppy snoopy scooby scoobydoo tinkerbell cinderella mickeymouse
  winniethepooh spongebob harrypotter gandalf lordoftherings matrix merlin metallica slipknot linkinpark greenday
  mychemicalromance nirvana eminem onedirection justinbieber michaeljackson thebeatles guitar drummer piano musica
  music musicislife skateboard snowboard california newyork newyorkcity london paris barcelonaspain australia
  america brasil colombia mexico argentina deutschland england scotland ireland canada india pakistan bangladesh
  indonesia philippines singapore hello helloworld hellohello hola goodbye goodmorning goodluck opensesame sesame
  abracadabra openthedoor enter letmeinnow loginlogin company business corporate office manager marketing support
  helpdesk service database server network security secure oracle mysql postgres mongodb tenantry
`;

export const commonPasswords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));

/** Runs of neighbours: in the alphabet, among the digits and on the keyboards of several countries. */
export const runs: readonly string[] = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "a1b2c3d4e5f6g7h8i9j0",
  "1a2b3c4d5e6f7g8h9i0j",
  "123qweasdzxc",
  "qwe123asd456zxc789",
  "qweasdzxc123",
];
