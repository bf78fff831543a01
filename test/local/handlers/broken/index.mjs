throw new SyntaxError("broken at import");
