/** The page's only script: a button beside each example. Without it the page lacks nothing else. */
export const script = `for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  });
  if (navigator.clipboard) figure.querySelector("figcaption").append(button);
}`;
