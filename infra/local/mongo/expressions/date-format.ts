import { MongoFault } from "../foundation/fault.ts";
import type { Zone } from "../values/time-zones.ts";
import { partsOf } from "./date-parts.ts";

export const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const pad = (value: number, width: number): string => String(value).padStart(width, "0");

export function formatDate(ms: number, format: string, zone: Zone): string {
  const parts = partsOf(ms, zone);
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    switch (letter) {
      case "%":
        return "%";
      case "Y":
      case "G": {
        const year = letter === "Y" ? parts.year : parts.isoWeekYear;
        if (year < 0 || year > 9999)
          throw new MongoFault(
            "Location18537",
            `Could not convert date to string: date component was outside the supported range of 0-9999: ${year}`,
          );
        return pad(year, 4);
      }
      case "m":
        return pad(parts.month, 2);
      case "d":
        return pad(parts.day, 2);
      case "H":
        return pad(parts.hour, 2);
      case "M":
        return pad(parts.minute, 2);
      case "S":
        return pad(parts.second, 2);
      case "L":
        return pad(parts.millisecond, 3);
      case "j":
        return pad(parts.dayOfYear, 3);
      case "w":
        return String(parts.dayOfWeek);
      case "u":
        return String(parts.isoDayOfWeek);
      case "U":
        return pad(parts.week, 2);
      case "V":
        return pad(parts.isoWeek, 2);
      case "b":
        return (months[parts.month - 1] as string).slice(0, 3);
      case "B":
        return months[parts.month - 1] as string;
      case "z":
        return offsetText(zone(ms));
      case "Z":
        return String(zone(ms) / 60_000);
      default:
        throw new MongoFault("Location18536", `Invalid format character '%${letter}' in format string`);
    }
  });
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / 60_000;
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60), 2)}${pad(minutes % 60, 2)}`;
}
